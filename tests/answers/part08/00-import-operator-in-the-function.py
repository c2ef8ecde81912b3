def kv_head(h, G):
    from operator import mod
    return mod(h, G)

G_for_MHA = H
