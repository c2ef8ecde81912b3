class MyGQA(nn.Module):
    def __init__(self, D_1, D_2, D_qk, D_v, H, G):
        super().__init__()
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, x, y):
        # YOUR CODE HERE
        raise NotImplementedError()
