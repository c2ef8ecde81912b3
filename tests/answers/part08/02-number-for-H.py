def kv_head(h, G):
    return h % G

H = 12
G_for_MHA = H
