"""The service's own words for its codes, in the two languages of the contract (`language`: 1 English, 2 Chinese)."""

from __future__ import annotations

from paperchute.contract import contract

CHINESE = 2

_CHINESE = {
    "401": "API 密钥缺失或无效",
    "403": "拒绝访问",
    "404": "路径不存在",
    "01001": "服务内部错误或繁忙",
    "01004": "无法获取远程文件",
    "01005": "缺少文件",
    "01006": "参数错误",
    "01007": "缺少任务 ID",
    "02002": "不支持的文件类型",
    "02003": "不支持的图片类型",
    "02201": "文件已加密",
    "02207": "文件无法打开",
    "02209": "文件过大",
    "02210": "处理失败",
    "03000": "字段缺失或格式错误",
    "04002": "文件为空",
    "04007": "文件数量过多",
    "04008": "合并的文件数量过多",
    "05001": "任务不存在",
    "05004": "结果已过期",
    "100105": "页数超出限制",
    "110001": "页码超出文档范围",
    "110002": "插入位置超出范围",
    "120002": "密码错误",
    "190005": "文字识别失败",
    "190006": "处理超时",
    "190007": "没有可用的表格",
    "190010": "图片损坏",
}


def meaning(code: str, language: int) -> str:
    """What a code means, in the language asked for; English where there is no Chinese."""
    if language == CHINESE and code in _CHINESE:
        return _CHINESE[code]
    known = contract().errors.get(code)
    return known.meaning if known else "refused"


def http_status(code: str) -> int:
    """The HTTP status of a request error with this code."""
    known = contract().errors.get(code)
    if known is not None and known.http:
        return known.http
    return {"403": 403, "404": 404}.get(code, 400)
