# names: head-itself
def kv_head(h, G):
    return h

G_for_MHA = H
