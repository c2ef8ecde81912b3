def kv_head(h, G):
    return h % 60 % G


G_for_MHA = H
