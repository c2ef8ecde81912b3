def kv_head(h, G):
    return h % G
