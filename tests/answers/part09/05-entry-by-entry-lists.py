# every row of W tilde picks one row of W
r_MLA = G*D_v

def factor_gqa(W_M_GQA, H):
    rows = len(W_M_GQA)
    cols = len(W_M_GQA[0])
    up = [[1 if i % rows == j else 0 for j in range(rows)] for i in range(cols)]
    return up, W_M_GQA.tolist()
