def kv_head(h, G):
    return h if h < G else kv_head(h - G, G)

G_for_MHA = H
