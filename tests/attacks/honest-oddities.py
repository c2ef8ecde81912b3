"""Nothing hostile: warnings, prints, magics, helper cells and files, scratch errors, plots, threads; all marks are earned."""
# part: 3
# earns: 10
# tamper: helper_file, copied_test
# %%
import sys
import warnings

warnings.warn("a warning")
print("to stderr", file=sys.stderr)
print(torch.ones(2))
# MODEL
# %%
%timeit -n 1 -r 1 attention_logits(torch.ones(2), torch.ones(3, 2), 2)
!echo from a shell
%matplotlib inline
# %%
%%time
np.array([1.0]) / 0
# %%
1 / 0
# %%
import matplotlib.pyplot as plt
import pandas_is_not_there
# %%
import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.show()
# %%
torch.set_num_threads(4)
from concurrent.futures import ThreadPoolExecutor
from IPython.display import HTML, Latex, Markdown, display

with ThreadPoolExecutor(4) as pool:
    print(list(pool.map(lambda n: float(attention_logits(torch.ones(n), torch.ones(3, n), n)[0]), range(1, 9))))
display(HTML("<table><tr><th>a</th></tr></table>"), Markdown("**b**"), Latex("$c$"), {"d": 1})
from helpers import NUMBER

with open("written.txt", "w") as file:
    file.write(str(NUMBER))
"10.0"
# %%
_logits = attention_logits


def attention_logits(q, K, D_qk):
    import time

    time.sleep(0.3)
    warnings.warn("slow")
    print("called")
    return _logits(q, K, D_qk)
