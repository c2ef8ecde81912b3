# names: neighbouring-heads
heads = 12
def kv_head(h, G):
    return h // (heads // G)

G_for_MHA = H
