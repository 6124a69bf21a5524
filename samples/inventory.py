"""Stock of a small warehouse: what is on the shelves and what must be ordered.

库存管理：记录每种商品的数量，并给出补货建议。
"""

from dataclasses import dataclass, field

LOW_STOCK = 10  # 低于这个数量就要补货
UNITS = {"pcs": "件", "box": "箱", "kg": "公斤"}


class OutOfStockError(Exception):
    """More was asked for than there is (库存不足)."""


@dataclass
class Item:
    """One kind of goods on one shelf."""

    sku: str
    name: str
    quantity: int = 0
    unit: str = "pcs"
    shelf: str = ""

    def label(self) -> str:
        """Return what is printed on the shelf, e.g. ``A-03 陶瓷杯 24件``."""
        return f"{self.shelf} {self.name} {self.quantity}{UNITS[self.unit]}"


@dataclass
class Inventory:
    """All items by their SKU."""

    items: dict[str, Item] = field(default_factory=dict)

    def receive(self, item: Item) -> None:
        # 同一个 SKU 再次入库时只增加数量，不覆盖货架位置。
        known = self.items.setdefault(item.sku, Item(item.sku, item.name, 0, item.unit, item.shelf))
        known.quantity += item.quantity

    def take(self, sku: str, quantity: int) -> Item:
        """Take goods off the shelf.

        参数 quantity 必须大于 0；库存不够时抛出 OutOfStockError，库存保持不变。
        """
        if quantity <= 0:
            raise ValueError(f"quantity must be positive, not {quantity}")
        item = self.items[sku]
        if item.quantity < quantity:
            raise OutOfStockError(f"{item.name}：需要 {quantity}，只有 {item.quantity}")
        item.quantity -= quantity
        return item

    def to_order(self, minimum: int = LOW_STOCK) -> list[Item]:
        """List what has run low, the emptiest shelf first."""
        low = [item for item in self.items.values() if item.quantity < minimum]
        return sorted(low, key=lambda item: (item.quantity, item.sku))


if __name__ == "__main__":
    stock = Inventory()
    stock.receive(Item("SKU-1001", "陶瓷杯", 24, "pcs", "A-03"))
    stock.receive(Item("SKU-2040", "green tea", 6, "box", "B-11"))
    stock.take("SKU-1001", 20)
    for entry in stock.to_order():
        print(entry.label())  # 以后改为发邮件
