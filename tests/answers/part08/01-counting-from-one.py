# names: counted-from-one
def kv_head(h, G):
    return h % G + 1

G_for_MHA = H
