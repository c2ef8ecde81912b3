def kv_head(h, G):
    if h >= G:
        h -= G
    if h >= G:
        h -= G
    if h >= G:
        h -= G
    return h


G_for_MHA = H
