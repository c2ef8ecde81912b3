def linear(in_features, out_features):
    """shape of the weight of nn.Linear(in_features, out_features)"""
    return out_features, in_features

shape_W_Q_h = linear(D_1, D_qk)
shape_W_K_h = linear(D_2, D_qk)
shape_W_V_h = linear(D_2, D_v)
