G_for_MHA = H

def kv_head(h, G):
    q, g = divmod(h, G)
    return g
