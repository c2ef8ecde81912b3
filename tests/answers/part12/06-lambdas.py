K_hat = lambda W_DKV: W_DKV
V_hat = lambda W_DKV: W_DKV
Q_hat_h = lambda U, Q, r, D, H: (r / (D // H)) ** .5 * U.T @ Q
O_hat_h = lambda O, U: O @ U
