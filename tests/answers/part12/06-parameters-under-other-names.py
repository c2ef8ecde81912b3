def K_hat(down):
    """all heads share this"""
    return down
def V_hat(down):
    """and this"""
    return down
def Q_hat_h(up, query, rank, width, heads):
    factor = torch.rsqrt(torch.tensor(width / heads)) * rank ** 0.5
    return factor * torch.nn.functional.linear(up.T, query.T)
def O_hat_h(output, up):
    return nn.functional.linear(output, up.T)
