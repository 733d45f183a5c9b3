import { startAuthentication } from '@simplewebauthn/browser';
import type { LoginView } from '@tollgate/contracts/api/user';
import { useState } from 'react';
import { isGivenUp } from '../../shared/passkeys.ts';
import { useBeginPasskeySignInMutation, useFinishPasskeySignInMutation } from './ways-api.ts';

/** Signs in by a passkey; answers undefined where its holder thinks better of it. */
export function usePasskeySignIn(): [signIn: () => Promise<LoginView | undefined>, isAsking: boolean] {
  const [begin] = useBeginPasskeySignInMutation();
  const [finish] = useFinishPasskeySignInMutation();
  const [isAsking, setAsking] = useState(false);
  const signIn = async (): Promise<LoginView | undefined> => {
    setAsking(true);
    try {
      const optionsJSON = (await begin().unwrap()) as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'];
      const response = await startAuthentication({ optionsJSON });
      return await finish({ response: { ...response, response: { ...response.response }, clientExtensionResults: {} } }).unwrap();
    } catch (error) {
      if (isGivenUp(error)) return undefined;
      throw error;
    } finally {
      setAsking(false);
    }
  };
  return [signIn, isAsking];
}
