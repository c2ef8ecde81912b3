# names: arguments-exchanged
def kv_head(h, G):
    return G % h if h else 0

G_for_MHA = H
