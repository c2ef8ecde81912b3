def kv_head(h, G):
    while h >= G:
        h -= G
    return h

G_for_MHA = H
