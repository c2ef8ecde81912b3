"""What part 8 asks in a student's kernel: which key/value head each query head reads."""

from grading.bridge import probe


@probe.remote
def heads(pairs):
    """kv_head of each pair of h and G as a number; else a text: what stands in its place."""
    found = []
    for h, G in pairs:
        head = kv_head(h, G)
        try:
            found.append("text" if isinstance(head, str) else float(head.item() if hasattr(head, "item") else head))
        except (TypeError, ValueError, RuntimeError):
            kind = "letters" if getattr(head, "free_symbols", None) else "no number"
            found.append("nothing" if head is None else "list" if isinstance(head, (list, tuple)) else kind)
    return found
