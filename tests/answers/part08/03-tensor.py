def kv_head(h, G):
    g = torch.remainder(torch.tensor(h), G)
    return g

G_for_MHA = H
