"""What the presets ask. Not translated: the same words give figures that can be compared."""

from __future__ import annotations

from typing import Final

CODE: Final = """\
Write a Python module with a class LRUCache that holds at most a given number of entries and forgets the one that was \
used longest ago. Give it get, put, delete, clear, __len__, __contains__ and __iter__ (newest first), type annotations \
and a docstring for every method. Make get and put take constant time. After the class, write a few lines that show it \
at work."""

JSON: Final = """\
Make up test data for a bookshop. Answer with nothing but a JSON array of eight objects. Each object has exactly \
these keys, in this order: "id" (a number, counting from 1), "title", "author", "year", "price_eur" (two decimals), \
"in_stock" (true or false), "tags" (an array of two or three words) and "publisher" (an object with "name" and \
"city")."""

EDIT: Final = '''\
```python
"""Orders of a small shop: lines, discounts, and what a customer pays."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

VAT = Decimal("0.19")
FREE_SHIPPING_FROM = Decimal("50.00")
SHIPPING = Decimal("4.90")


@dataclass(frozen=True)
class Line:
    """One article of an order, and how many of it."""

    article: str
    price: Decimal
    quantity: int = 1

    def amount(self) -> Decimal:
        return self.price * self.quantity


@dataclass
class Order:
    """What one customer orders at once."""

    customer: str
    lines: list[Line] = field(default_factory=list)
    discount_percent: int = 0

    def add(self, article: str, price: str, quantity: int = 1) -> None:
        if quantity < 1:
            raise ValueError("a quantity is at least 1")
        self.lines.append(Line(article, Decimal(price), quantity))


def subtotal(order: Order) -> Decimal:
    return sum((line.amount() for line in order.lines), Decimal("0.00"))


def total(order: Order) -> Decimal:
    """What the customer pays, shipping and tax included."""
    amount = subtotal(order) * (100 - order.discount_percent) / 100
    if amount < FREE_SHIPPING_FROM:
        amount += SHIPPING
    return (amount * (1 + VAT)).quantize(Decimal("0.01"))


def report(orders: list[Order]) -> str:
    """One line per order, and the sum of all."""
    rows = [f"{order.customer:20} {total(order):>10}" for order in orders]
    rows.append(f"{'all':20} {sum(total(order) for order in orders):>10}")
    return "\\n".join(rows)


if __name__ == "__main__":
    first = Order("Ada")
    first.add("notebook", "3.20", 4)
    first.add("pencil", "0.80", 10)
    print(report([first]))
    print("to pay:", total(first))
```

Write this file again, with the function `total` renamed to `order_total` everywhere and nothing else changed. \
Answer with the whole file in one code block.'''

TRANSLATE: Final = """\
Translate this paragraph into French. Keep its tone, and answer with the translation alone.

The night train left the valley just after ten. Most of the passengers had already drawn their curtains, but in the \
last carriage an old man sat by the window and counted the lights of the villages as they went by. He had made this \
journey every autumn for forty years, first to buy wood for his workshop, later to visit his daughter, and now simply \
because he liked to arrive in the city before anybody else was awake. At the third stop a young woman with a cello got \
in. She apologised for the size of the case, he moved his bag, and they talked until morning about instruments, about \
the trees they were made of, and about how long a piece of maple has to dry before it is worth listening to. When the \
train slowed down and the first roofs appeared in the grey light, both were a little sorry that the line was not \
longer."""

SUMMARY: Final = """\
Summarise the following article in about 150 words, for readers who know nothing of the subject. Begin with what is \
new, then say why it matters and what is still open.

For decades, the small harbour town of Vessen protected itself against storms with a wall of concrete. Last week the \
council decided not to raise that wall a fourth time. Instead, it will give forty hectares of farmland back to the \
sea. The old dyke will be opened in two places, and a lower one will be built eight hundred metres further inland. \
Between the two, engineers expect a salt marsh to grow within ten years.

The idea is not new. Marshes break waves: measurements on the neighbouring coast showed that a belt of three hundred \
metres takes almost half of the energy out of a storm surge before it reaches the shore. They also rise on their own, \
as every flood leaves a thin layer of mud behind. A wall does not. "We have been paying for the same concrete again \
and again," said the town's engineer, Marta Lindqvist. "This is the first plan that gets better with age."

Not everybody agrees. The eleven farms on the land have worked it for generations, and although the state pays for it \
at market prices, three families have refused to sign. Some fishermen fear that the currents at the harbour's mouth \
will change. A study by the university found no danger for ships, but its authors admit that their model covers only \
twenty years.

The work is to begin in spring and will cost 31 million, about two thirds of what a higher wall would have cost. \
Biologists are waiting with impatience: they hope for the return of the redshank, which has not nested near Vessen \
since the sixties. Whether the marsh will grow fast enough to keep up with the rising sea, nobody can say for certain. \
The town has therefore kept one promise open: if the layers of mud stay thinner than planned, the wall will be \
discussed again in 2040."""

CHAT: Final = """\
I have been offered a job in another city. It pays a fifth more and sounds more interesting, but my friends and my \
parents live here, and my partner would have to look for something new. I have two weeks to decide. How would you go \
about such a decision, and what would you ask yourself that most people forget?"""

STORY: Final = """\
Write the opening of a novel, about 300 words. A lighthouse keeper finds a letter in a bottle, and recognises her own \
handwriting. Past tense, third person, plain words, no dialogue on the first half of the page."""

TABLE: Final = """\
Compare the eight planets of the solar system in a Markdown table. The columns are: Planet, Type, Diameter (km), \
Distance from the Sun (million km), Length of a day, Length of a year, Moons, Rings. One row per planet, in order from \
the Sun, and no text before or after the table."""
