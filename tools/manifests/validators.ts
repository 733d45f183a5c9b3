import { join } from 'node:path';
import { goModule, goProgram } from '@tollgate/testing';

/** Modules that carry the definitions of what is not Kubernetes' own, and where in them. */
const definitions = {
  'sigs.k8s.io/gateway-api@v1.4.1': 'config/crd/standard',
  'github.com/kedacore/keda/v2@v2.18.1': 'config/crd/bases',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': 'example/prometheus-operator-crd',
  'github.com/external-secrets/external-secrets@v1.3.2': 'config/crds/bases',
};

export interface Validators {
  /** Paths of the programs. */
  kustomize: string;
  validate: string;
  /** Folders of custom resource definitions. */
  definitions: string[];
}

/** Throws EngineUnavailable. */
export async function validators(): Promise<Validators> {
  const kustomize = await goProgram('kustomize');
  const validate = await goProgram('kubectl-validate');
  const folders = await Promise.all(Object.entries(definitions).map(async ([module, folder]) => join(await goModule(module), folder)));
  return { kustomize, validate, definitions: folders };
}
