"""Names and arguments of before, for one release: each says what takes its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symparam.api.derived import Derived
from symparam.api.given import instead

if TYPE_CHECKING:
    from symparam.documents.derivations.view import DerivationView
    from symparam.documents.sensitivities.document import SensitivityView


class Renamed(Derived):
    """A model with the names that methods had before."""

    def derive_quantity(self, name: str, **given: Any) -> DerivationView:
        """:meth:`derive`, as it was called.

        >>> import warnings
        >>> from symparam import load
        >>> with warnings.catch_warnings(action="ignore"):
        ...     load("llama-2-70b").derive_quantity("kv_cache").formula
        4*L*b*d_head*n_kv*s
        """
        instead("model.derive_quantity(name)", "model.derive(name)")
        return self.derive(name, **given)

    def quantity_sensitivity(self, name: str, **given: Any) -> SensitivityView:
        """:meth:`sensitivity`, as it was called."""
        instead("model.quantity_sensitivity(name)", "model.sensitivity(name)")
        return self.sensitivity(name, **given)
