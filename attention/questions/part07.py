"""What part 7 asks in a student's kernel: what a MyGQA keeps and makes in memory, and what it gives."""

from attention.questions.models import called
from grading.bridge import probe


def in_memory(tensor, most=float("inf")):
    """A tensor of all that another one has in memory, or of what it reaches of more than so many numbers; of one that
    is not plain, of its numbers."""
    wrapped = getattr(torch._C._functorch, "is_functorch_wrapped_tensor", lambda tensor: False)
    while wrapped(tensor):  # within vmap: the tensor of all samples
        tensor = torch._C._functorch.get_unwrapped(tensor)
    tensor = tensor.detach()
    if tensor.is_nested:
        tensor = tensor.values()
    if tensor.layout != torch.strided:
        tensor = tensor.coalesce().values() if tensor.layout == torch.sparse_coo else tensor.to_dense()
    size = tensor.untyped_storage().nbytes() // tensor.element_size()
    if size <= most:
        return tensor.as_strided((size,), (1,), 0)  # (size,)
    reach = [(length - 1) * step for length, step in zip(tensor.shape, tensor.stride())]
    return tensor.as_strided(((1 + sum(reach)) * bool(tensor.numel()),), (1,), tensor.storage_offset())


def held_by(values):
    """The tensors that values hold in whatever way: in containers, objects, closures, and as NumPy's arrays."""
    import gc

    found, places = [], set()
    while values and len(places) < 20_000:
        value = values.pop()
        names_of_all = isinstance(value, dict) and ("__builtins__" in value or "__import__" in value)
        if id(value) in places or names_of_all or isinstance(value, (type, type(np))):
            continue
        places.add(id(value))
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            try:
                found.append(torch.from_numpy(value))
            except (TypeError, ValueError):  # of another dtype, or with a negative stride
                pass
        elif isinstance(value, torch.Tensor):
            found.append(value)
        else:
            values.extend(gc.get_referents(value))
    return found


@probe.remote(using=(in_memory, held_by, called))
def bytes_kept(cases):
    """How many bytes a model keeps in parameters, buffers and attributes, for each case; shared ones count once."""
    found = []
    for sizes in cases:
        model = MyGQA(*sizes)
        try:
            tokens = torch.zeros(1, 1, sizes[0]), torch.zeros(1, 1, sizes[1])
            model(*tokens)  # a call may register more of them
            called(model, tokens, "evaluated", {})
        except Exception:
            pass
        kept, registered = {}, ("_parameters", "_buffers", "_modules")
        own = [value for part in model.modules() for name, value in vars(part).items() if name not in registered]
        own += [vars(tensor) for tensor in [*model.parameters(), *model.buffers()]]
        classes = [made for part in model.modules() for made in type(part).__mro__ if made not in nn.Linear.__mro__]
        own += [[*vars(made).values()] for made in classes]
        plain = held_by(own)  # such as self.copies = W.repeat(2, 1), or {"W_K": W.repeat(2, 1)}
        for tensor in [*model.parameters(), *model.buffers(), *plain]:
            if nn.parameter.is_lazy(tensor) or tensor.is_meta:
                continue
            there = in_memory(tensor)  # of a stride of 0 all is named that there is
            named, _ = kept.get(there.data_ptr(), (0, 0))
            named += tensor.numel() if tensor.layout == torch.strided else there.numel()
            kept[there.data_ptr()] = (named, there)
        found.append(sum([min(named, there.numel()) * there.element_size() for named, there in kept.values()]))
    return found


def written(model, name, numbers):
    """The numbers of a weight, sorted, once they are written into it."""
    with torch.no_grad():
        weight = getattr(model, name).weight
        weight.copy_(numbers)  # (rows, D_2)
    return weight.detach().double().flatten().sort().values  # (rows * D_2,)


def copies_held(there, numbers, scale):
    """How often a tensor (size,) holds each of these numbers, up to a factor that is 1 or `scale` or another; None if
    it lacks some of them."""
    most = None
    if len(there) < len(numbers):
        return most
    near = 8 * torch.finfo(there.dtype if there.is_floating_point() else torch.float32).eps
    there = there.double().abs()
    for factor in (1.0, float(there.max() / numbers[-1]), scale):
        if not 0 < factor < float("inf"):
            continue
        scaled = there / factor
        if not ((scaled - numbers[0]).abs() <= near * numbers[0]).any():  # soon told, of nearly all tensors
            continue
        place = torch.searchsorted(numbers, scaled * 0.99).clamp(max=len(numbers) - 1)
        held = torch.bincount(place[(scaled - numbers[place]).abs() <= near * numbers[place]], minlength=len(numbers))
        most = held if held.min() > (0 if most is None else most.min()) else most
    return most


def watching(look):
    """A mode that shows `look` each tensor that a function of torch's takes or gives, while the mode is entered."""

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            out = function(*args, **(kwargs or {}))
            pieces = [out, *args, *(kwargs or {}).values()]
            while pieces:
                piece = pieces.pop()
                if isinstance(piece, (tuple, list)):
                    pieces.extend(piece)
                elif isinstance(piece, torch.Tensor):
                    look(piece)
            return out

    return Watch()


def through_python(look):
    """A mode in which Python calls each operation of PyTorch's, so that `watching` is shown TorchScript's, too; it
    shows `look` itself what is done while functions of torch's are not shown to anybody."""

    class Calls(torch.utils._python_dispatch.TorchDispatchMode):
        pass

    hidden = getattr(torch._C, "_is_torch_function_all_disabled", bool)

    def operate(mode, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        if hidden() and isinstance(out, torch.Tensor):
            look(out)
        return out

    Calls.__torch_dispatch__ = operate  # in the class, it would have PyTorch load its compiler, in each notebook anew
    return Calls()


def counting(weights, copies, scale, found):
    """A `look` that records each weight of which that many copies are in memory, in one tensor or several at once."""
    import weakref

    held = {}  # by the place in memory, where a copy is: how often it holds each number of each weight
    owners = {}  # by the place in memory: who has it
    known = {}  # by the place in memory: small tensors, and what was counted in them

    def counted(place, there):
        if there.is_complex():
            there = torch.view_as_real(there.resolve_conj()).flatten()
        before, counts = known.get(place, (there[:0], {}))
        if before.dtype == there.dtype and torch.equal(before, there):
            return counts
        counts = {name: copies_held(there, numbers, scale) for name, numbers in weights.items()}
        counts = {name: times for name, times in counts.items() if times is not None}
        if len(there) <= 2_000:
            known[place] = (there.clone(), counts)
        return counts

    def look(tensor):
        try:
            there = in_memory(tensor, 100_000)
            if not len(there) or len(there) > 100_000:
                return
            place = there.untyped_storage().data_ptr()
            counts = counted(place, there)
        except Exception:  # no tensor with numbers in memory that can be compared
            return
        before = held.pop(place, {})
        having = {who: owner for who, owner in owners.get(place, {}).items() if owner() is not None}
        if having and there.untyped_storage().nbytes() > there.nbytes:  # a part of it: others may hold more
            both = before.keys() & counts.keys()
            counts = {**before, **counts, **{name: torch.maximum(counts[name], before[name]) for name in both}}
        owners[place] = {**having, id(tensor): weakref.ref(tensor)}
        if counts:
            held[place] = counts
            for gone in [each for each in held if not any([o() is not None for o in owners[each].values()])]:
                del held[gone]
            for name in weights:
                if sum([c[name] for c in held.values() if name in c], torch.zeros(1)).min() >= copies:
                    found.append(name)

    return look


@probe.remote(using=(in_memory, written, copies_held, counting, watching, through_python, called))
def copied(sizes, given, x, y):
    """Of which weight, W_K's or W_V's, tensors that `forward` makes or uses hold H / G copies in memory; "" of none.

    The numbers of these two are spread evenly on a logarithmic scale, 2 % apart. A copy has all of them up to a factor,
    in whatever order and dtype, among whatever else; what is in memory is the storage, so a stride of
    0 repeats nothing.
    """
    model, copies, found = MyGQA(*sizes), sizes[4] // sizes[5], []
    if any([nn.parameter.is_lazy(getattr(getattr(model, name, None), "weight", None)) for name in given]):
        model(x, y)
    for name in ("W_Q", "W_O"):
        try:
            written(model, name, given[name])
        except (AttributeError, RuntimeError, TypeError):  # which loses other points
            pass
    weights = {name: written(model, name, given[name]) for name in ("W_K", "W_V")}
    try:
        # The inner mode mostly doesn't look: it would see what PyTorch copies in an operation, also in right answers.
        look = counting(weights, copies, sizes[2] ** -0.5, found)
        with watching(look), through_python(look):
            model(x, y)
            called(model, (x, y), "evaluated", {})
    except Exception:  # a forward that fails loses other points
        pass
    return found[0] if found else ""


@probe.remote
def fresh(sizes, x, y):
    """What a model gives with the weights that it was made with."""
    torch.set_default_dtype(x.dtype)
    return MyGQA(*sizes)(x, y)  # (B, L_1, D_1)


@probe.remote
def prepare(models):
    """Makes models that exist side by side and sets their weights in place, twice; between, it calls all but the first.

    The name of a projection whose weight cannot be set, or "". The next calls find the models as they are left here.
    """
    kept.clear()
    kept["models"] = []
    for sizes, weights in models:
        torch.set_default_dtype(weights["W_Q"].dtype)
        model = MyGQA(*sizes)
        tokens = torch.zeros(2, 3, sizes[0]), torch.zeros(2, 4, sizes[1])  # (B, L_1, D_1), (B, L_2, D_2)
        if any([nn.parameter.is_lazy(getattr(getattr(model, name, None), "weight", None)) for name in weights]):
            model(*tokens)
        for factor in (2.0, 1.0):
            for name, weight in weights.items():
                try:
                    with torch.no_grad():
                        getattr(model, name).weight.copy_(factor * weight)
                except (AttributeError, RuntimeError, TypeError):
                    return name
            if factor == 2.0 and kept["models"]:  # whatever a model keeps of this call serves it badly in the next
                model(*tokens)
        kept["models"].append(model)
    return ""


@probe.remote(using=(called,))
def outputs(calls, changes):
    """Outputs of the prepared models, call after call; a call is (which model, x, y, how).

    Tokens of one model and shape lie in the same two tensors, call after call. `how` says what is special: "strided"
    for axes in another order in memory, "itself" for one tensor as x and y, and for tokens as the call before left them
    "again", "evaluated" or "changed", as `models.called` has the last two.
    """
    found, held = [], {}
    for which, x, y, how in calls:
        if how == "strided":
            x = x.transpose(0, 1).contiguous().transpose(0, 1)
            y = y.transpose(1, 2).contiguous().transpose(1, 2)
        mine = held.setdefault((which, x.shape, y.shape), (x, x if how == "itself" else y))
        if how not in ("again", "evaluated", "changed"):
            mine[0].copy_(x)
            mine[1].copy_(y)
        torch.set_default_dtype(x.dtype)
        found.append(called(kept["models"][which], mine, how, changes))  # (B, L_1, D_1)
    return found
