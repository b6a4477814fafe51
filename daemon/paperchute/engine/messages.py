"""The service's own words for its codes, in the two languages of the contract (`language`: 1 English, 2 Chinese)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from paperchute.contract import contract
from paperchute.engine.work import Refused

Language = Literal[1, 2]
ENGLISH: Language = 1
CHINESE: Language = 2

_ALL_CASES: list[Mapping[str, object]] = contract().raw["error_use"]["cases"]
_STATUS = {str(case["code"]): case["http"] for case in _ALL_CASES if case["kind"] == "request"} | {"403": 403}

_CHINESE = {
    "401": "API 密钥缺失或无效",
    "403": "拒绝访问",
    "404": "路径不存在",
    "01001": "服务内部错误或繁忙",
    "01002": "结果无法保存",
    "01003": "文件上传失败",
    "01004": "无法获取远程文件",
    "01005": "缺少文件",
    "01006": "参数错误",
    "01007": "缺少任务 ID",
    "02002": "不支持的文件类型",
    "02003": "不支持的图片类型",
    "02201": "文件已加密",
    "02207": "文件无法打开：类型未知或已加密",
    "02209": "文件过大",
    "02210": "处理失败",
    "03000": "字段缺失或格式错误",
    "04002": "文件为空",
    "04007": "文件数量过多",
    "04008": "合并的文件数量过多",
    "05001": "任务不存在",
    "05002": "任务状态不正确",
    "05003": "任务文件数量过多",
    "05004": "结果已过期",
    "05005": "任务没有文件",
    "100105": "页数超出限制",
    "110001": "页码超出文档范围",
    "110002": "插入位置超出文档范围",
    "120002": "密码错误",
    "190005": "文字识别失败",
    "190006": "处理超时",
    "190007": "没有可用的表格",
    "190010": "图片损坏",
}


def words(error: Refused, language: Language) -> str:
    """What is wrong, in the language asked for; Chinese falls back to the meaning of the code."""
    return in_language(language, error.reason, error.reason_zh or _CHINESE.get(error.code, ""))


def in_language(language: Language, english: str, chinese: str) -> str:
    """One of two texts; English where there is no Chinese."""
    return chinese or english if language == CHINESE else english


def http_status(code: str) -> int:
    """The HTTP status of a request error with this code: [error_use] first, then [[error_code]], else 400."""
    used = _STATUS.get(code)
    if isinstance(used, int):
        return used
    known = contract().errors.get(code)
    return known.http if known is not None and known.http else 400
