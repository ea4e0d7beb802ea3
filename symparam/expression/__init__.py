"""Expressions as they are written: an ordered tree of numbers, symbols, sums and products.

The tree keeps the order and grouping in which a person would write a line; it does no algebra
(SymPy does, see :mod:`symparam.symbols`). It supports ``+ - * / **``, so it can stand for a dim
when a component lists its shapes, and it can be evaluated over any kind of number.
"""

from symparam.expression.nodes import PLAIN as PLAIN
from symparam.expression.nodes import Expr as Expr
from symparam.expression.nodes import Extreme as Extreme
from symparam.expression.nodes import Num as Num
from symparam.expression.nodes import Power as Power
from symparam.expression.nodes import Procedure as Procedure
from symparam.expression.nodes import Product as Product
from symparam.expression.nodes import Quotient as Quotient
from symparam.expression.nodes import Rational as Rational
from symparam.expression.nodes import Sum as Sum
from symparam.expression.nodes import Sym as Sym
from symparam.expression.nodes import Whole as Whole
from symparam.expression.nodes import Writer as Writer
from symparam.expression.nodes import factors_of as factors_of
from symparam.expression.nodes import flat_product as flat_product
from symparam.expression.nodes import flat_sum as flat_sum
from symparam.expression.nodes import negated as negated
from symparam.expression.nodes import node as node
from symparam.expression.nodes import product_of as product_of
from symparam.expression.nodes import sum_of as sum_of
from symparam.expression.nodes import terms_of as terms_of
from symparam.expression.nodes import whole as whole
from symparam.expression.walking import children as children
from symparam.expression.walking import chooses as chooses
from symparam.expression.walking import evaluate as evaluate
from symparam.expression.walking import expanded_terms as expanded_terms
from symparam.expression.walking import power_terms as power_terms
from symparam.expression.walking import substitute as substitute
from symparam.expression.walking import symbols_in as symbols_in
from symparam.expression.walking import walk as walk
