def kv_head(h, G):
    return abs(h - G) % G


G_for_MHA = H
