"""For a test suite of one's own: is a module what its description says, and does a component, a
family, a quantity or a format keep all that is asked of one?"""

from symparam.testing.components import assert_component as assert_component
from symparam.testing.families import assert_family as assert_family
from symparam.testing.formats import assert_format as assert_format
from symparam.testing.modules import assert_matches as assert_matches
from symparam.testing.quantities import assert_quantity as assert_quantity
