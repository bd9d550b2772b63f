from .fiber_population import fiber as fiber
from .known_population import known as known
from .log_linear_population import log_linear as log_linear
from .polya_urn import urn as urn
from .shrunk_population import shrunk as shrunk
