rank_relation = "==" if True else "<="
stack_and_pick = lambda H, G, d: (np.tile(np.eye(G*d), [H//G, 1]), np.eye(H*d)[:G*d])
