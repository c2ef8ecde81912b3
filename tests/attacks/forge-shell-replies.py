"""Shell replies of its own, early, twice, with odd contents, and garbage on the socket; the notebook still ends with marks."""
# part: 3
# earns: 0
# %%
KERNEL = get_ipython().kernel
for content in ([], None, {"status": "error"}, {"status": []}, {"status": "error", "ename": [], "evalue": {}, "traceback": 3},
                {"status": "ok", "execution_count": "<script>", "user_expressions": {"a": 10.0}}):
    parent = KERNEL.get_parent("shell")
    for socket in (KERNEL.shell_stream, KERNEL.iopub_socket):
        for kind in ("execute_reply", "kernel_info_reply", "error", "execute_input", "status", "stream", "comm_open", 7, None):
            for header in ({}, {"msg_id": 3}, []):
                message = KERNEL.session.msg("execute_reply", content=content, parent=parent)
                message["header"].update(msg_type=kind) if isinstance(kind, str) else message.update(header=header)
                try:
                    KERNEL.session.send(socket, message, ident=KERNEL.get_parent("shell").get("idents"))
                except Exception:
                    pass
