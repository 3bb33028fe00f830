import type { MetricDeclaration } from '@podwright/api/metrics';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type Declared = Readonly<Record<string, MetricDeclaration>>;
type Named<D extends Declared, T extends MetricDeclaration['type']> = {
  [Name in keyof D & string]: D[Name]['type'] extends T ? Name : never;
}[keyof D & string];
type LabelOf<D extends Declared, Name extends keyof D> = keyof D[Name]['labels'] & string;
type Tell<Label extends string> = (labels: Record<Label, string | number>, value: number) => void;

/** Makes prom-client's metrics from declarations; a name that is not declared does not compile. */
export function createMetricFactory<D extends Declared>(options: { registry: Registry; declared: D }) {
  const { registry, declared } = options;
  const common = <Name extends keyof D & string>(name: Name) => ({
    name,
    help: declared[name]!.help,
    labelNames: Object.keys(declared[name]!.labels) as LabelOf<D, Name>[],
    registers: [registry],
  });
  return {
    counter: <Name extends Named<D, 'counter'>>(name: Name): Counter<LabelOf<D, Name>> => new Counter(common(name)),
    gauge: <Name extends Named<D, 'gauge'>>(name: Name): Gauge<LabelOf<D, Name>> => new Gauge(common(name)),
    histogram: <Name extends Named<D, 'histogram'>>(name: Name): Histogram<LabelOf<D, Name>> =>
      new Histogram({ ...common(name), buckets: [...(declared[name]!.buckets ?? [])] }),
    /** One that is read from elsewhere when it is asked for; `set` and `add` begin from nothing each time. */
    collected: <Name extends Named<D, 'gauge' | 'counter'>>(
      name: Name,
      collect: (set: Tell<LabelOf<D, Name>>, add: Tell<LabelOf<D, Name>>) => void,
    ): void => {
      const read = (metric: Gauge<LabelOf<D, Name>> | Counter<LabelOf<D, Name>>): void => {
        metric.reset();
        const add: Tell<LabelOf<D, Name>> = (labels, value) => metric.inc(labels, value);
        collect(metric instanceof Gauge ? (labels, value) => metric.set(labels, value) : add, add);
      };
      if (declared[name]!.type === 'counter') {
        void new Counter({
          ...common(name),
          collect() {
            read(this);
          },
        });
      } else {
        void new Gauge({
          ...common(name),
          collect() {
            read(this);
          },
        });
      }
    },
  };
}
