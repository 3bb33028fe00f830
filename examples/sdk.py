"""A task through the unmodified SDK of Browser Use Cloud:

    pip install browser-use-sdk && python examples/sdk.py

PODWRIGHT_URL and PODWRIGHT_API_KEY come from `make env`.
"""

import os
import sys

from browser_use_sdk.v3 import BrowserUse
from pydantic import BaseModel

TASK = (
    "Open http://demo-site.podwright-demo.svc.cluster.local/ and find the Brass Lamp. "
    "Report its price and whether it is in stock."
)


class Offer(BaseModel):
    price: str
    inStock: bool


client = BrowserUse(
    api_key=os.environ["PODWRIGHT_API_KEY"],
    base_url=f"{os.environ['PODWRIGHT_URL']}/api/v3",
)
result = client.run(sys.argv[1] if len(sys.argv) > 1 else TASK, output_schema=Offer)
print(result.output)
print(result.session.last_step_summary, result.session.total_cost_usd)
