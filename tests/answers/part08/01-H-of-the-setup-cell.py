def kv_head(h, G):
    return h // (H // G)

G_for_MHA = H
