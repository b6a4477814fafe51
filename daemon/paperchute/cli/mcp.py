"""The verb `mcp`: tools for an assistant that speaks the Model Context Protocol over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paperchute import __version__
from paperchute.cli.context import given
from paperchute.cli.tools import TOOLS, Shared
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

INSTALL = 'pip install "paperchute[mcp]"'


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(mcp)


def mcp(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(help=N_("Folder for the results of `do`, whose files it reads too. Left out: no `do`.")),
    ] = None,
) -> None:
    """Offer operations, jobs, explain, undo and do to an assistant, over standard input and output."""
    chosen = given(context)
    shared = Shared(chosen, None if folder is None else folder.expanduser().absolute())
    shared.check()
    try:
        import anyio
        from mcp.server.stdio import stdio_server
    except ImportError as error:
        raise PaperchuteError(
            _("What `mcp` needs is not installed."), _("Install it: {command}", command=INSTALL)
        ) from error
    server = _server(shared)

    async def serve() -> None:
        async with stdio_server() as (requests, answers):
            await server.run(requests, answers, server.create_initialization_options())

    anyio.run(serve)


def _server(shared: Shared) -> Server:
    from anyio import Lock
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

    one_at_a_time = Lock()
    offered = {tool.name: tool for tool in TOOLS if shared.folder is not None or not tool.needs_folder}

    async def tools(_context: object, _page: object) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=tool.name,
                    description=tool.about,
                    input_schema=tool.arguments.model_json_schema(),
                    annotations=ToolAnnotations(read_only_hint=tool.only_reads),
                )
                for tool in offered.values()
            ]
        )

    async def call(_context: object, asked: CallToolRequestParams) -> CallToolResult:
        tool = offered.get(asked.name)
        if tool is None:
            said, failed = _("There is no tool '{name}'.", name=asked.name), True
        else:
            async with one_at_a_time:
                said, failed = await tool.call(shared, asked.arguments or {})
        return CallToolResult(content=[TextContent(text=said)], is_error=failed)

    return Server("paperchute", version=__version__, on_list_tools=tools, on_call_tool=call)
