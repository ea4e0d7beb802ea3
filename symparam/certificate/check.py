"""Check certificates: python3 check.py [FILE ...], or derivation.json; exit code 0: all confirmed.
What is printed and not in quotation marks is confirmed. Formulas become fractions of polynomials:
dicts of products of powers, as sorted pairs (name, exponent), to coefficients. Names are of numbers
above 0; roundings and roots are names too, below no line; of a root the square is known."""
import sys
if __name__ == "__main__" and not sys.flags.isolated: del sys.path[0]  # import nothing from here
import json, re
from fractions import Fraction
LENGTH, DEPTH, EXPONENT, BITS, WORK, FILE = 20_000, 150, 100, 8_000, 4_000_000, 2**23
WORD = re.compile(r"[0-9]+|[A-Za-z_][A-Za-z_0-9]*|\*\*|[-+*/()]")
NAME, RANK = re.compile(r"[A-Za-z_][A-Za-z_0-9]*"), {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
ROUND = {"up": lambda x: -(-x // 1), "down": lambda x: x // 1, "nearest": lambda x: (2*x + 1) // 2}
ARE = {x: x for x in ("stated", "found by probing, not proved", "written down, nothing built")}
ONE, STEP, state = {(): 1}, ({(("a small step", 1),): 1}, {(): 1}), {}  # state: of one certificate
class Refused(Exception): pass
def need(ok, what, kind="cannot be read"):
    if not ok: raise Refused(ascii(f"{kind}: {what}")[1:-1])
def want(ok, what): need(ok, what, "not confirmed")
def spend(amount):
    state["work"] += amount
    need(state["work"] <= WORK, "it takes too long to multiply out")
def plus(a, b, k=1):
    spend(len(a) + len(b) + 1)
    return {key: c for key in {**a, **b} if (c := a.get(key, 0) + k * b.get(key, 0))}
def times(a, b):
    spend(10 * len(a) * len(b) + 1)
    out, roots = {}, state["squares"]
    for (left, c), (right, d) in ((x, y) for x in a.items() for y in b.items()):
        powers = dict(left)
        for name, e in right: powers[name] = powers.get(name, 0) + e
        key = tuple(sorted((name, e) for name, e in powers.items() if e))
        n = out[key] = c * d + out.get(key, 0)
        need(max(len(key), *map(abs, powers.values()), 0) <= EXPONENT and max(
            n.numerator.bit_length(), n.denominator.bit_length()) <= BITS, "it grows too large")
    for key in [key for key in out if any(n in roots and e > 1 for n, e in key)] if roots else ():
        name = next(n for n, e in key if n in roots and e > 1)  # no root stays squared
        left = tuple((n, e - 2 * (n == name)) for n, e in key if (n, e) != (name, 2))
        out = plus(out, times({left: out.pop(key)}, roots[name]))
    return {key: c if c.denominator > 1 else c.numerator for key, c in out.items() if c}
def op(x, sign, y):  # x + y, x - y, x * y, x / y, x ** y; one term below the line goes above it
    if sign == "**": return power(x, number_of(y))
    y, k = y[::-1] if sign == "/" else y, -1 if sign == "-" else 1
    if x[1] == y[1] and (sign in "+-" or sign == "*" and x[1] == ONE):
        return times(x[0], y[0]) if sign == "*" else plus(x[0], y[0], k), x[1]
    over, under = times(x[0], y[0]) if sign in "*/" else plus(
        times(x[0], y[1]), times(y[0], x[1]), k), times(x[1], y[1])
    need(under and not opaque(under), "something is divided by 0, a root or a rounding")
    (powers, c), *more = under.items()
    return (over, under) if more else (
        times(over, {tuple((name, -e) for name, e in powers): Fraction(1) / c}), ONE)
def same(x, y): return not op(x, "-", y)[0]
def const(number): return ({(): number} if number else {}), ONE
def number_of(x): return x[0].get((), 0) if x[1] == ONE and set(x[0]) <= {()} else None
def named(name): return {((name, 1),): 1}
def opaque(side): return any("(" in n for key in side for n, _ in key)
def own_name(word, x):  # of a rounding or a root: the same for the same
    return state["own"].setdefault((word, *(tuple(sorted(side.items())) for side in x)),
                                   f"{word}({len(state['own'])})")
def power(x, e):
    if e == Fraction(1, 2):  # what is below the line is above 0, or it would turn the sign
        need(all(c > 0 for c in x[1].values()), "a root of a fraction")
        state["squares"][name := own_name("root", (times(*x), ONE))] = times(*x)
        return named(name), x[1]
    need(e is not None and e.denominator == 1 and abs(e) <= EXPONENT, f"an exponent {e}")
    if e < 0: return op(const(1), "/", power(x, -e))
    return op(power(x, e - 1), "*", x) if e else const(1)
def formula(words, known, rank=1, depth=0):  # the next words, from the end, up to a lower rank
    need(words and depth < DEPTH, "a formula ends early, or is nested too deep")
    word = words.pop()
    if word == "-": x = op(const(0), "-", formula(words, known, 3, depth + 1))
    elif word == "(" or word in ROUND and words[-1:] == ["("] and words.pop():
        x = formula(words, known, 1, depth + 1)
        need(words and words.pop() == ")", "a bracket is not closed")
        if word != "(": x = (named(own_name(word, x)), ONE) if number_of(x) is None else const(
            ROUND[word](number_of(x)))
    else:
        need(word.isdigit() or NAME.fullmatch(word), f"{word!r} in a formula")
        x = const(int(word)) if word.isdigit() else known.get(word) or (named(word), ONE)
    while words and RANK.get(words[-1], 0) >= rank:
        sign = words.pop()
        x = op(x, sign, formula(words, known, RANK[sign] + (sign != "**"), depth + 1))
    return x
def read(text, known={}):  # names in known stand for formulas
    need(type(text) is str and len(text) <= LENGTH and "  " not in text, "no fitting formula")
    if not known and text in state["read"]: return state["read"][text]
    words = WORD.findall(text)[::-1]
    need("".join(words[::-1]) == text.replace(" ", ""), f"a sign in {text[:60]!r}")
    spend(10 * len(words) + 10)
    x = formula(words, known)
    need(not words, f"{words[-1:]} is left over in {text[:60]!r}")
    return x if known else state["read"].setdefault(text, x)
def fields(x, names):
    need(type(x) is dict and set(x) - {"about"} == set(names.split()), f"no object of {names}")
    return [x[name] for name in names.split()]
def items(x, kind=list): return need(type(x) is kind, f"{x!r:.60} is no {kind.__name__}") or x
def rows(x, names): return [fields(each, names) for each in items(x)]
def total(formulas, known={}):
    sums, out = {}, const(0)
    for x in (x if type(x) is tuple else read(x, known) for x in formulas):
        under = str(sorted(x[1].items()))  # what is under the same line is added first
        sums[under] = op(sums.get(under, const(0)), "+", x)
    for x in sums.values(): out = op(out, "+", x)
    return out
def put(x, name, value):  # a polynomial with a value in place of a name
    need(x[1] == ONE and not opaque(x[0]), f"a rounding, or something divided by what has {name}")
    return total(op(({tuple(p for p in key if p[0] != name): c}, ONE), "*", power(
        value, Fraction(dict(key).get(name, 0)))) for key, c in x[0].items())
def exact(x):
    found = number_of(read(str(x)))
    return need(type(x) in (int, str) and found is not None, f"no number: {x!r:.9}") or const(found)
def fits(x, whole):  # a number, where it is one, is above 0
    return (n := number_of(x)) is None or n > 0 and (not whole or n.denominator == 1)
def numbers(dims, whole=False):  # and how they are said
    out = {name: exact(n) for name, n in items(dims, dict).items()}
    need(all(NAME.fullmatch(x) and fits(n, whole) for x, n in out.items()), f"dims {dims!r:.60}")
    return out, ["at " + ", ".join(f"{x} = {number_of(n)}" for x, n in out.items())] * bool(out)
def here(texts, dims, n):  # that a sum is a number at the dims, and what is said of it
    want(n is None or same(total(texts, dims), exact(n)), f"{n!r:.40} = {' + '.join(texts):.50}...")
    return "" if n is None else f", here {number_of(exact(n))}"
def words(x, *names):  # what is said and not checked
    found = (x.get("about", {}).get(name) or [] for name in names)
    return "".join(f"; {json.dumps(str(y))}" for x in found for y in ([x], x)[type(x) is list])
def names_in(texts): return {*NAME.findall(" ".join(texts))}
def replaced(equations, known={}):  # what names stand for; each may speak of those before it
    known, left = dict(known), [items(x, str).partition(" = ")[0] for x in equations]
    for text in equations:
        spend(len(left) + len(known))
        name, right = left[0], text.partition(" = ")[2]
        need(NAME.fullmatch(left.pop(0)) and not {name, *left} & {*NAME.findall(right)}
             and name not in left, f"{text[:60]!r} gives a name twice, or too late")
        known[name] = read(right, known)
    return known
def hold(x, dims): want(all(same(read(k, dims), v) for k, v in replaced(x, dims).items()), x)
def listed(line, terms, left=[]):  # shares by path, of terms [formula, shares] and what is left out
    shares = {}
    for text, own in map(items, items(terms) + items(left)):
        want(same(read(text), total(items(own, dict).values())), f"{text:.80} is not its shares")
        for path, share in own.items():
            shares[path] = f"{shares[path]} + ({share})" if path in shares else share
            need(len(shares[path]) <= LENGTH, "too many shares")
    want(same(read(line), total(text for text, _ in terms)), f"{line:.80} is not its terms")
    return shares
def agree(old, new, what, known={}):
    for path in {**old, **new}: want(same(*(read(x.get(path, "0"), known) for x in (old, new))),
                                     f"in {what:.80} the share of {path:.80} is another")
def entries(found, dims={}, whose="", layers="1"):  # what each path adds; told, unless of None
    shares = {}
    for path, row in items(found, dict).items():
        of = fields(row, "rows columns copies") if len(row) > 1 else fields(row, "factors")[0]
        need(all(read(x) and fits(read(x, dims), len(row) > 1) for x in items(of)) and read(layers)
             and fits(read(layers, dims), True), f"the size of {path:.80}")
        shares[path] = "*".join(f"({text})" for text in [layers, *of])
        state["seen"] += [f"{whose}{json.dumps(path)}: " + " x ".join(
            f"({text})" if {*text} & {*"+-"} else text for text in of) + (
            f", in each of {layers} layers" if layers != "1" else "")] * (whose is not None)
    return shares
def join(one, two): need(not one.keys() & two.keys(), "a name twice") or one.update(two)
def derive(body):  # from the matrices to the formula, line by line, and to the number
    symbol, dims, parts, apart, lines, leading, sizes, others, last, value, inside = fields(
        body, "symbol dims parts apart lines leading left conventions formula value inside")
    (dims, at), whole, one, told, given, more, left = numbers(dims), {}, {}, [], [], [], []
    for name, inner in items(inside, dict).items():
        (said, equations), theirs = derive(inner), numbers(inner["dims"])[0]
        told, more = told + said, more + equations
        want(inner["symbol"] == name and (value is None or {**theirs, **dims} == {
            **dims, **theirs, name: exact(inner["value"])}), f"the {name} inside")
    for name, stacks, text, terms in rows(parts, "symbol stacks line terms"):
        for layers, x in rows(stacks, "layers entries"):
            own = join(whole, entries(x, dims, f"{name}: ", layers)) or entries(x, dims, None)
            want(same(total(own.values()), total(one.setdefault(name, own).values())), name)
        agree(one[name], listed(text, terms), text)
    shares = whole
    for line, terms, out, equation in rows(lines, "line terms left given"):
        before, left, used = left, out, [] if equation is None else [equation]
        given, old, shares = used + given, shares, listed(line, terms, left)
        agree(old, shares, line, replaced(used))
        agree(whole, shares, line, replaced(given))  # where old may be 0 divided by 0
        here([line, *(x for x, _ in left)], dims, value)
    known = replaced([*dict.fromkeys(given + more)])
    need(value is None and not dims or hold(given, dims) is None, "numbers without a sum")
    want(last == line and [x for x, _ in left] == [x for x, _ in map(items, items(sizes))], last)
    said = [f"{symbol} = {' + '.join([last, *(f'({x})' for x, _ in left)])}" + here(
        whole.values(), dims, value) + words(body, "title", "convention", "windows"), *(f"given {x}"
        for x in given), *at, *(f"left out: {x}{here([x], dims, n)}" for x, n in sizes)]
    if leading is not None:
        ends = [read(x, known) for x in [line, *(x for x, _ in left[len(before):])]]
        high, *low = [{dict(key).get(leading, 0) for key in x} for x, _ in ends]
        want(left[:len(before)] == before and len(high) == 1 and not any(
            x and max(x) >= max(high) for x in low) and all(under == ONE and not opaque(
                x) for x, under in ends) and leading not in known, f"highest power of {leading}")
        said += [f"the last {len(low)} left out have lower powers of {leading}"] * bool(low)
    taken = {*dims, *inside, *known, *names_in(state["read"])}
    sums = {path: read(share, known) for path, share in whole.items()}
    names = {name: total(own.values(), known) for name, own in one.items()}
    want(whole and same(read(apart, {**known, **names}), x := total(sums.values())) and same(
        names.setdefault(symbol, x), x), f"{symbol} = {apart:.80}")
    for each in items(others):
        name, text, counted, line, n = fields(each, "symbol formula counted written value")
        weights = {path: read(x, known) for path, x in items(counted, dict).items()}
        own = total(op(x, "*", sums[path]) for path, x in weights.items())
        want(same(read(text, {**known, **names}), own) and same(read(line, known), own) and same(
            names.setdefault(name, own), own), f"{name} = {text:.80}")
        said += [f"{name} = {text}{here([line], dims, n)}{words(each, 'title')}"] * (name != symbol)
    need(all(map(NAME.fullmatch, names)) and not {*names} & taken and not inside.keys() & {
        *known} and leading in {None, *taken}, "two things of one name, or no name")
    return said + told, given
def diff(body):  # the second model's matrices less the first one's: by component, and as a whole
    dims, places, line, terms, numel = fields(body, "dims places line terms numel")
    (dims, at), whole, sides, the = numbers(dims), {}, [{}, {}], ("the first ", "the second ")
    for pairs, text, own_terms, change in rows(places, "pairs line terms change"):
        own = {}
        for name, pair in items(pairs, dict).items():
            gone, new = (entries(x, dims, of) for of, x in zip(the, fields(pair, "before after")))
            for side, part in zip(sides, (gone, new)): join(side, part)
            own[name] = "+".join(["0", *new.values()]) + "".join(f"-{x}" for x in gone.values())
        agree(own, listed(text, own_terms), text)
        here([text], dims, change)
        join(whole, own)
    agree(whole, listed(line, terms), line)
    need(all(sides), "a model of no matrices")
    sizes = [None, None] if numel is None else fields(numel, "before after")
    return [f"the second less the first = {line}{words(body, 'title', 'convention')}", *at, *(
        f"{x}model{here(side.values(), dims, n)}" for x, side, n in zip(the, sides, sizes))], []
def tangent(old, new, speed):  # new - old is a small step times a speed, but for its squares
    found = op(op(new, "-", old), "-", op(STEP, "*", read(speed)))
    over, under = ({dict(key).get("a small step", 0) for key in side} for side in found)
    want(min(over, default=2) > 1 and min(under) == 0, f"the derivative {speed:.80}")
def sensitivity(body):  # derivatives, by a small step of a name and what follows it; elasticities
    dims, measures = fields(body, "dims measures")
    (dims, at), said = numbers(dims), []
    for each in items(measures):
        found, inside, text, value, changes = fields(each, "entries inside formula value rows")
        shares = entries(found, dims).values()
        totals = {name: entries(own, dims, f"{json.dumps(name)}: ").values()
                  for name, own in items(inside, dict).items()}
        def full(known, totals=totals):  # totals with what else is put in
            return {**known, **{name: total(own, known) for name, own in totals.items()}}
        want(shares and same(read(text), total(shares)), f"the formula {text:.80}")
        said += [f"{text}{here(shares, full(dims), value)}{words(each, 'title', 'convention')}"]
        for wrt, follows, slope, n, elasticity, relative in rows(
                changes, "wrt follows derivative here elasticity relative"):
            follows, how = rows(follows, "equation slope"), f"by {wrt}"
            still, moved, equations = {}, {wrt: op(read(wrt), "+", STEP)}, [x for x, _ in follows]
            need(NAME.fullmatch(wrt) and wrt not in replaced(equations) and not names_in([wrt, *(
                equations), *(x for own in totals.values() for x in own)]) & {*totals}, f"by {wrt}")
            hold([x for x, speed in follows if speed is None] if dims else [], dims)
            for equation, speed in follows:
                name = equation.partition(" = ")[0]
                still, moved = replaced([equation], still), replaced([equation], moved)
                if speed is not None:
                    tangent(still.pop(name), moved[name], speed)
                    moved[name] = op(read(name), "+", op(STEP, "*", read(speed)))
                how += f", given {equation}" if speed is None else f", {name} moved by {equation}"
            old, new = (total(shares, full(known)) for known in (still, moved))
            tangent(old, new, slope)
            want(same(read(elasticity), op(read(f"{wrt}*({slope})"), "/", old)), elasticity)
            said += [f"{how}: {slope}{here([slope], dims, n)}; elasticity {elasticity}"
                     f"{here([elasticity], dims, relative)}"]
    return said + at, []
def solve(body):  # closed forms put back into the count, roots between bounds, configurations
    found, target, forms, configurations = fields(body, "entries target forms configurations")
    shares, said = entries(found).values(), [f"asked P = {number_of(exact(target))}"]
    for name, given, texts, dims, roots in rows(forms, "unknown equations formulas dims roots"):
        (dims, at), how = numbers(dims), "".join(f", given {x}" for x in given)
        need(NAME.fullmatch(name) and not {name, "P"} & {*replaced(given), *dims} and "P" not in
             names_in([name, *given, *shares]), f"{name:.40} or P is given")
        for text in items(texts):
            want(same(put(total(shares, replaced(given)), name, read(text)), read("P")), text)
            said.append(f"{name} = {text}{how}")
        left = op(total(shares, replaced(given, dims)), "-", exact(target))
        for low, high in (map(exact, items(x)) for x in items(roots)):
            a, b = (number_of(put(left, name, x)) for x in (low, high))
            need(all(e > 0 for key in left[0] for _, e in key), f"{name} below a line")
            want(a * b < 0 or a == b == 0 and same(low, high), f"a root of {name}")
            said += [f"a root {name} in {number_of(low)} to {number_of(high)}{how}", *at]
    for dims, n in rows(configurations, "dims numel"):
        dims, at = numbers(dims, True)
        said += [f"P{here(shares, dims, n)}", *at]
    return said, []
def certificate(text):
    state.update(work=0, squares={}, read={}, own={}, seen=[])
    need(len(text) <= FILE, "it is too large")
    version, kind, model, sources, body = fields(json.loads(text, object_pairs_hook=lambda x: need(
        len(dict(x)) == len(x), "a key twice") or dict(x)), "certificate kind model rows body")
    need(items(sources, dict) and (version, type(version)) == (1, int), "its kind")
    rest = [f"matrices of {json.dumps(name)}, according to this file: {ARE[fields(x, 'are')[0]]}; "
            f"not compared with a checkpoint{words(x, 'sentences')}" for name, x in sources.items()]
    said, model = KINDS[kind](body)[0], json.dumps(items(model, str))
    return "\n    ".join([f"{kind} of {model}", *state["seen"], *said, *rest, "not checked: "
        f"the name {model}, and all else in quotation marks; that these matrices are the model's"])
KINDS = {"derive": derive, "diff": diff, "sensitivity": sensitivity, "solve": solve}
def main(paths, code=0):
    for path in paths:
        try:
            with open(path, "rb") as file: said = f"confirmed: {certificate(file.read(FILE + 1))}"
        except Exception as error:  # whatever a damaged file has in place of what is read
            said, code = error if type(error) is Refused else f"cannot be read: {error!a:.80}", 1
        print(f"{ascii(path)[1:-1]}: {said}")
    return code
if __name__ == "__main__": sys.exit(main(sys.argv[1:] or ["derivation.json"]))
