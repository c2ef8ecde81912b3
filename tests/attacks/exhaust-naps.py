"""Sleeps in each cell and each call just under the limit; all calls together have a limit too."""
# part: 2
# earns: 4
# %%
import time

# MODEL
_q = q_from_x


def q_from_x(W_Q, x):
    time.sleep(0.6)  # so that its seven calls end well before the limit of all, which those of m_from_y reach
    return _q(W_Q, x)


def m_from_y(W, y):
    time.sleep(1.5)
    return None
# %%
time.sleep(2.5)
