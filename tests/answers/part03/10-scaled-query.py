def attention_logits(query, keys, width):
    """Scale first, then multiply."""
    query = query * width ** -0.5
    return torch.matmul(keys, query)
