rank_relation = "=="
def stack_and_pick(H, G, d):
    E = torch.eye(G * d)
    A = E.repeat(H // G, 1)
    B = torch.cat([E, torch.zeros(G * d, H * d - G * d)], dim=1)
    return [A, B]
