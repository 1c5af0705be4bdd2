// Makes the lockfile of a bundle: a few packages, in the versions of package-lock.json.

/** The used parts of a version 3 lockfile, by path (`node_modules/a/node_modules/b`). */
export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
}

/** Throws if the lockfile lacks a needed package. */
export function lockedDependencies(lockfile: Lockfile, manifest: Manifest): object {
  const places = new Set<string>();
  const collect = (from: string, { dependencies = {}, ...rest }: LockedPackage): void => {
    const optional = rest.optionalDependencies ?? {};
    const peers = Object.keys(rest.peerDependencies ?? {}).filter(
      (name) => !rest.peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys(dependencies), ...Object.keys(optional), ...peers]) {
      const place = placeOf(lockfile, from, name);
      if (place === undefined && name in optional) continue;
      if (place === undefined) throw new Error(`package-lock.json does not list ${name}.`);
      if (places.has(place)) continue;
      places.add(place);
      collect(place, lockfile.packages[place] ?? {});
    }
  };
  collect('', { dependencies: manifest.dependencies });
  const { name, version, dependencies } = manifest;
  const locked = [...places].sort().map((place) => [place, lockfile.packages[place]] as const);
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: Object.fromEntries<object | undefined>([
      ['', { name, version, dependencies }],
      ...locked,
    ]),
  };
}

/** Finds a package as Node does: beside the package that needs it, then in each folder above. */
function placeOf({ packages }: Lockfile, from: string, name: string): string | undefined {
  for (let folder = from; ;) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === '') return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
  }
}
