def kv_head(h, G):
    return h % min(G, 7)


G_for_MHA = H
