// Preloaded into the functions of the local service: ends them with it, tells it their port, and replaces the catalogue.
import { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndpointContent } from '../../../functions/endpoints/endpoint.ts';

/** Answered by a message with the same number, once the catalogue is served. */
export interface ReplaceCatalogue {
  replaceCatalogue: number;
  endpoints: EndpointContent[];
}

/** Sent once the function takes connections. */
export interface Listening {
  listeningPort: number;
}

// The parent has the other end of this pipe open and never writes; it may be killed.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
process.stdin.on('error', () => process.exit());

// oxlint-disable-next-line typescript/unbound-method -- Called on the server below.
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...args: Parameters<typeof listen>) {
  this.once('listening', () => {
    const { port } = this.address() as AddressInfo;
    process.send?.({ listeningPort: port } satisfies Listening);
  });
  return listen.apply(this, args);
} as typeof listen;

process.on('message', ({ replaceCatalogue, endpoints }: ReplaceCatalogue) => {
  // The module that the framework has loaded already: a second import gives the same one.
  void import('../../../functions/index.ts').then(({ catalogue }) => {
    catalogue.replace(endpoints);
    process.send?.({ replaced: replaceCatalogue });
  });
});
