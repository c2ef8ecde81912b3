class MyMHA(nn.Module):
    """Multi-head attention: every position of x attends to all positions of y."""

    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, x, y):
        """x has shape (B, L_1, D_1), y has shape (B, L_2, D_2). Returns a tensor of shape (B, L_1, D_1)."""
        # YOUR CODE HERE
        raise NotImplementedError()
