# names: last-head-for-the-rest
def kv_head(h, G):
    return min(h, G - 1)

G_for_MHA = H
