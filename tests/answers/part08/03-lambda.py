kv_head = lambda h, G: int(h) % int(G)
G_for_MHA = +H
