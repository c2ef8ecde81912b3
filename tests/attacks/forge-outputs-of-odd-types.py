"""Outputs that break nbclient, nbformat or a page: odd counts, lone surrogates, updates of lost outputs, deep nesting, HTML."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
KERNEL = get_ipython().kernel


def send(kind, content):
    try:
        KERNEL.session.send(KERNEL.iopub_socket, kind, content, parent=KERNEL.get_parent("shell"))
    except Exception as error:
        print(type(error))


deep = []
for _ in range(900):
    deep = [deep]
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\ud800\x00\x1b[31m"
data = {"text/plain": EVIL, "text/html": EVIL, "image/svg+xml": f"<svg onload=alert(1)>{EVIL}</svg>", "text/markdown": EVIL,
        "application/javascript": "alert(1)", "image/png": '"><script>alert(1)</script>', "text/latex": EVIL,
        "application/vnd.jupyter.widget-view+json": {"model_id": EVIL}, "application/json": deep, "text/x": deep}
for count in (EVIL, -1, 1e400, [], {}, 10**4000, True):
    send("execute_input", {"execution_count": count, "code": EVIL})
    send("execute_result", {"execution_count": count, "data": data, "metadata": {"image/png": {"width": EVIL, "alt": EVIL}}})
for kind in data:
    send("display_data", {"data": {kind: data[kind]}, "metadata": {"filenames": {kind: EVIL}, kind: {"isolated": True}}})
send("display_data", {"data": {"text/plain": "x"}, "metadata": {}, "transient": {"display_id": "a"}})
send("clear_output", {"wait": False})
send("update_display_data", {"data": {"text/plain": "y"}, "metadata": deep, "transient": {"display_id": "a"}})
send("update_display_data", {"data": [], "metadata": None, "transient": {"display_id": []}})
send("stream", {"name": EVIL, "text": EVIL})
send("stream", {"name": [], "text": deep})
send("error", {"ename": EVIL, "evalue": EVIL, "traceback": [EVIL, deep, None, 3]})
send("error", {"ename": "NotMarked", "evalue": "", "traceback": "abc"})
send("comm_open", {"comm_id": "a", "target_name": "jupyter.widget", "data": {"state": {"_model_name": "OutputModel", "_model_module": "@jupyter-widgets/output"}}})
send("comm_msg", {"comm_id": "a", "data": []})
send("comm_msg", {})
send("display_data", None)
send(EVIL, {})
