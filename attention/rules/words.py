"""Words by which students name the dimensions of a tensor in comments: English ones, those of other languages, and
those that one student's comments show to be such.
"""

import re
from collections import Counter
from collections.abc import Iterable

# Alone or in names such as len_q and batch_size.
_ENGLISH = (
    "batch head heads nheads seq len length lengths dim dims time token tokens query queries key keys value values "
    "position positions pos num n embed embedding emb model hidden kv qk q k v d size sizes in out input output "
    "feature features channel channels width widths src tgt source target group groups per sample samples attending "
    "attended sequence depth latent total shared dqk seqlen all bsz bsize slen qlen klen hdim word words"
)
# French, Spanish and Portuguese, Italian, German, Russian, Korean.
_OTHERS = (
    "lot tête têtes tete tetes longueur largeur taille clé clés cle cles valeur valeurs requête requêtes jeton jetons "
    "groupe groupes lote cabeza cabezas cabeça cabeças longitud largo ancho tamaño clave claves valor valores consulta "
    "consultas comprimento largura chave teste lunghezza larghezza chiave valore stapel kopf köpfe länge breite größe "
    "schlüssel wert werte anfrage батч пакет голова головы голов длина размер размерность ключ ключи запрос запросы "
    "значение значения токен токены 배치 헤드 길이 차원 시퀀스 토큰 키 쿼리 값 크기"
)
DIMENSIONS = frozenset(f"{_ENGLISH} {_OTHERS}".split())
# What words for a dimension consist of in Chinese and Japanese, which put no spaces between words.
_MORPHEMES = (
    "批次 批量 批 大小 多头 头数 头 注意力 序列 系列 长度 长 長 维度 维 次元 宽度 宽 幅 通道 特征 键 查询 值 隐藏 "
    "词 令牌 位置 嵌入 总 每 数 一 二 三 バッチ ヘッド トークン キー クエリ バリュー サイズ"
).split()
OF = frozenset("of in de di da von des der del du".split())  # between a dimension and whose it is: length of x
# Names of tensors, which in a list of their own are no dimensions.
TENSORS = frozenset(
    "query queries key keys value values input output source target requête requêtes clé clés valeur valeurs consulta "
    "consultas clave claves valor valores schlüssel wert werte anfrage ключ ключи запрос запросы значение значения 키 "
    "쿼리 값 查询 键 值 キー クエリ バリュー".split()
)

WORD = re.compile(r"[^\W\d_]{3,}")
_WITH_LETTER = re.compile(r"([A-Za-z]{3,}) ([A-Z]\w{0,3})|([A-Z]\w{0,3}) ([A-Za-z]{3,})")
_LIST = re.compile(r"(?<!\w)[(\[{<]([^()\[\]{}<>]*[,;|][^()\[\]{}<>]*)[)\]}>]")  # in brackets that follow no name


def of_ones_own(comments: Iterable[str]) -> set[str]:
    """A student's words for dimensions, in whatever language: they stand in lists, in brackets, of several comments."""
    counts: Counter[str] = Counter()
    for comment in comments:
        lists = [re.split(r"[,;|]", re.sub(r" *([*/+-]) *", r"\1", text)) for text in _LIST.findall(comment)]
        lists = [one for one in lists if all(re.fullmatch(r"[\w*/+-]+(?: \d)?", entry.strip()) for entry in one)]
        counts.update({word for one in lists for entry in one for word in WORD.findall(entry)})
    return {word for word, number in counts.items() if number > 1} - TENSORS


def letter(entry: str) -> str:
    """The letter in "batch B" and in "L_1 positions"; any other entry of a list as it is."""
    named = _WITH_LETTER.fullmatch(entry)
    word, found = (named[1] or named[4], named[2] or named[3]) if named else ("", entry)
    return found if word.lower() in DIMENSIONS - TENSORS else entry


def is_tensor(word: str) -> bool:
    """Whether a word, in small letters, is the name of a tensor, with a number or not, as key or key2."""
    return word in TENSORS or word.rstrip("0123456789") in TENSORS


def is_dimension(word: str) -> bool:
    """Whether a word, in small letters, names a dimension, also with a number, as seq1, or counted, as nkeys."""
    if word in DIMENSIONS or word.isdigit():
        return True
    plain = word.rstrip("0123456789")
    if len(plain) >= 3 and not {plain, plain.removeprefix("n")}.isdisjoint(DIMENSIONS):
        return True
    while word and (piece := next((one for one in _MORPHEMES if word.startswith(one)), word[0] * word[0].isdigit())):
        word = word[len(piece) :]
    return not word
