/** The goods of the demo shop. Fixed, so that everybody who tries the sample sees the same answer. */
export interface Product {
  id: number;
  slug: string;
  name: string;
  category: 'Kitchen' | 'Desk' | 'Garden';
  priceCents: number;
  /** Pieces in stock; 0 means sold out. */
  stock: number;
  words: string;
}

const ROWS: [name: string, category: Product['category'], priceCents: number, stock: number, words: string][] = [
  ['Copper Kettle', 'Kitchen', 4_990, 7, 'Whistles when the water boils. Holds 1.5 litres.'],
  ['Cast Iron Pan', 'Kitchen', 3_450, 12, 'Gets better with every year of use.'],
  ['Bread Knife', 'Kitchen', 2_190, 0, 'A long wavy blade for crusty loaves.'],
  ['Enamel Mug', 'Kitchen', 890, 64, 'White with a blue rim.'],
  ['Pepper Mill', 'Kitchen', 2_750, 9, 'Ceramic grinder, beech body.'],
  ['Salt Pig', 'Kitchen', 1_680, 4, 'Stoneware, keeps salt dry.'],
  ['Rolling Pin', 'Kitchen', 1_290, 21, 'One piece of maple.'],
  ['Tea Strainer', 'Kitchen', 740, 33, 'Fine steel mesh.'],
  ['Oil Carafe', 'Kitchen', 1_950, 0, 'Pours without a drip.'],
  ['Egg Timer', 'Kitchen', 990, 18, 'Sand glass, four minutes.'],
  ['Brass Lamp', 'Desk', 8_900, 3, 'A warm light on a hinged arm.'],
  ['Fountain Pen', 'Desk', 5_400, 11, 'Medium nib, refillable.'],
  ['Linen Notebook', 'Desk', 1_590, 40, '192 dotted pages.'],
  ['Letter Opener', 'Desk', 1_250, 6, 'Olive wood.'],
  ['Desk Clock', 'Desk', 4_390, 0, 'Silent movement.'],
  ['Pencil Tray', 'Desk', 1_790, 15, 'Oak, three compartments.'],
  ['Paper Weight', 'Desk', 2_290, 8, 'A river stone, polished.'],
  ['Ink Bottle', 'Desk', 1_190, 27, 'Blue-black, 50 millilitres.'],
  ['Wool Desk Pad', 'Desk', 3_690, 5, 'Grey felt, 80 by 40 centimetres.'],
  ['Book Stand', 'Desk', 2_990, 2, 'Folds flat.'],
  ['Watering Can', 'Garden', 3_890, 10, 'Galvanised steel, 8 litres.'],
  ['Hand Trowel', 'Garden', 1_490, 25, 'Forged head, ash handle.'],
  ['Seed Box', 'Garden', 2_590, 13, 'Sorts the year by month.'],
  ['Pruning Shears', 'Garden', 4_150, 0, 'For branches up to 20 millimetres.'],
  ['Bird Feeder', 'Garden', 2_850, 16, 'Hangs or stands.'],
  ['Plant Labels', 'Garden', 690, 80, 'Twenty pieces of slate.'],
  ['Twine Spool', 'Garden', 850, 51, 'Jute, 100 metres.'],
  ['Rain Gauge', 'Garden', 1_890, 14, 'Glass, reads to 40 millimetres.'],
  ['Garden Gloves', 'Garden', 1_390, 30, 'Goat leather.'],
  ['Wicker Basket', 'Garden', 3_290, 1, 'Willow, for apples and kindling.'],
];

export const PRODUCTS: readonly Product[] = ROWS.map(([name, category, priceCents, stock, words], index) => ({
  id: index + 1,
  slug: name.toLowerCase().replaceAll(' ', '-'),
  name,
  category,
  priceCents,
  stock,
  words,
}));

export const PAGE_SIZE = 8;

export interface Query {
  words: string;
  category: string;
  inStock: boolean;
  sort: 'name' | 'price';
  page: number;
}

/** The products of a query, one page of them, and how many pages there are. */
export function search(query: Query): { products: Product[]; total: number; pages: number } {
  const words = query.words.trim().toLowerCase();
  const found = PRODUCTS.filter(
    (product) =>
      (words === '' || product.name.toLowerCase().includes(words)) &&
      (query.category === '' || product.category === query.category) &&
      (!query.inStock || product.stock > 0),
  ).toSorted((a, b) => (query.sort === 'price' ? a.priceCents - b.priceCents : a.id - b.id));
  const start = (query.page - 1) * PAGE_SIZE;
  return {
    products: found.slice(start, start + PAGE_SIZE),
    total: found.length,
    pages: Math.max(1, Math.ceil(found.length / PAGE_SIZE)),
  };
}

/** `49.90 EUR` */
export const price = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`;

export const stockWords = (product: Product): string =>
  product.stock === 0 ? 'Sold out' : `In stock: ${product.stock}`;
